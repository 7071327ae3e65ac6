"""The sentences of the numerics, with names where values stand. `tests/contest/test_words.py` compares them
with the sources, so that none is forgotten.

The first phrase that fits a text is used: what is more special stands before what is more general.
"""

from __future__ import annotations

PLACES = (
    "%(place)s: got '%(got)s', expected %(expected)s. [%(code)s]",
    "%(place)s: expected %(expected)s. [%(code)s]",
    "%(file)s, line %(line)s, column %(column)s",
    "%(file)s, line %(line)s",
    "%(file)s, column %(column)s",
)

FILES = (
    "a file of at most %(n)s bytes",
    "a file that is not encrypted",
    "a file %(name)s",
    "at most %(n)s bytes when unpacked",
    "at most %(n)s bytes",
    "at most %(n)s members",
    "an archive that is whole; pack it again",
    "a zip archive of %(names)s",
    "a plain zip; nothing legal is so large that it needs the 64-bit form",
    "only %(names)s",
    "%(name)s once",
    "all files in one folder",
    "a CSV file, not an archive in an archive",
    "a plain file name, without '..', '\\', ':' or a leading '/'",
    "a regular file, no link and no device",
    "a member stored or deflated",
    "at least one row",
    "UTF-8 text; this file is marked as UTF-16",
    "UTF-8 text",
    "text without NUL bytes",
    "lines that end in LF or CRLF",
    "no header, or exactly %(header)s",
    "1 cell: %(header)s",
    "%(n)s cells: %(header)s",
    "1 cell",
    "%(n)s cells",
    "%(n)s members",
)

CELLS = (
    "1 to %(n)s letters A-Z a-z, digits, '_' or '-'",
    "f or m",
    "the name of a country, without quotes or surrounding blanks",
    "an interval of two dates as [a;b] with a not after b",
    "a set of different values as {a;b}",
    "the number of a row of M, counted from 1",
    "the number of a row of M, 1 to %(n)s",
    "a customer_id that M.csv has",
    "a pseudonym that M.csv has",
    "a pseudonym that is no customer_id of M",
    "a country that M has",
    "an item that T has",
    "an id that no earlier line has",
    "each row of M exactly once",
    "no row of M twice",
    "*: a deleted row is written *,*,*,*,*",
    "an empty cell: a deleted row is written DEL,,,,,,",
    "T's value, or an interval or set that contains it",
    "a date in the year and month of T's row",
    "a pseudonym of digits",
    "one pseudonym a customer and month",
    "a set as {i;j;…}",
    "a set of at most %(n)s different items",
    "a value",
    "an interval [a;b] with a not above b",
    "an interval as [a;b]",
    "at least %(n)s of the rows kept",
    "items of T",
    "a customer of T",
    "a pseudonym of the target, or %(no_guess)s",
    "a pseudonym of the target",
)

COUNTS = (
    "%(n)s lines, one a row of M′",
    "%(n)s lines, one a row of M.csv",
    "at most %(n)s rows, as M has",
    "%(n)s rows, as M has",
    "%(n)s rows, as T has",
    "at least the %(n)s rows of T",
    "at most the %(n)s rows of T",
    "%(n)s rows",
    "%(n)s lines",
)

DATES = (
    "a date that exists, as YYYY/M/D without leading zeros",
    "a time from 0:00 to 23:59, as H:MM",
    "a positive price with up to 5 digits before and 2 after the point",
    "a natural number up to 6 digits",
    "a birthday from %(first)s to %(last)s",
    "a date from %(first)s to %(last)s",
)

LIMITS = (
    "%(measure)s could not be measured, the limit is %(operator)s %(limit)s.",
    "%(measure)s is %(value)s, the limit is %(operator)s %(limit)s.",
)

PROGRAMS = (
    "The program is %(size)s large; up to %(limit)s is accepted.",
    "The program is neither a zip archive nor a Python text: got a NUL byte in %(name)s.",
    "%(name)s is empty; expected a Python program.",
    "The zip archive cannot be read: %(error)s.",
    "The zip archive holds %(name)s twice (upper and lower case count as the same).",
    "The zip archive holds more than %(n)s files; up to %(limit)s are accepted.",
    "The zip archive unpacks to more than %(size)s, the most accepted.",
    "The zip archive holds %(name)s both as a file and as a folder.",
    "The zip archive is encrypted; expected one without a password.",
    "%(name)s in the zip archive is a link or a device; expected plain files.",
    "%(name)s in the zip archive is packed in a way other than stored or deflated.",
    "%(name)s in the zip archive is no acceptable name: expected a relative path of up to %(n)s parts of "
    "letters, digits, spaces and . _ + - that do not start with a dot.",
    "The zip archive holds neither %(script)s nor an executable file %(executable)s (with #! or ELF), at the "
    "top or in one folder around everything.",
)

RUNS = (
    "The program was stopped after %(seconds)s s of CPU time, the limit of a run, counted over all its "
    "processes.",
    "The program was stopped after %(seconds)s s, the limit of wall time of a run.",
    "The program was stopped because it made more than %(n)s files in a private folder.",
    "The program was stopped because it wrote without end to its log, of which %(size)s are kept.",
    "The program needed more than %(size)s of memory, the limit of a run, counted over all its processes.",
    "The result is larger than %(size)s, the limit of a result file. A Q has one row number a line, one line "
    "a row of M′.",
    "The program finished in %(wall)s s (%(cpu)s s of CPU time, %(memory)s of memory) and wrote a result of "
    "%(size)s.",
    "The program finished without a result: expected a plain file at OUT_FILE, the third argument; found "
    "%(found)s.",
    "a link instead of a plain file",
    "a folder, a pipe or a device instead of a plain file",
    "an empty file",
    "nothing, and the run's own report was destroyed",
    "nothing",
    "The program ended with an error (exit code %(code)s) after it tried to run more than %(n)s processes "
    "and threads at once, the limit of a run.",
    "The program was ended by signal %(number)s. The log shows what it wrote before.",
    "The program ended with an error (exit code %(code)s). The log shows what it wrote. Its private disk "
    "space is %(size)s and %(n)s files.",
    "The program ended with an error (exit code %(code)s). The log shows what it wrote.",
    "The guess cannot be read. %(problem)s",
)

JOBS = (
    "reading the upload",
    "checking the files",
    "storing the neutral form",
    "reading the tables",
    "judging",
    "in the sandbox",
    "An error on our side.",
    "The worker stopped answering.",
    "The worker was stopped.",
    "The store cannot be written.",
    "The database is being brought up to date.",
    "The files break the rules.",
    "Stopped by an organiser.",
    "shot down",
)

PARAMETERS = (
    "The %(parameter)s parameter of %(method)s must be %(expected)s. Got %(got)s instead.",
    "%(method)s has no parameter %(parameter)s. Its parameters: %(expected)s.",
    "an integer from %(low)s to %(high)s",
    "a number from %(low)s to %(high)s",
    "an integer >= %(low)s",
    "a number >= %(low)s",
    "one of %(names)s",
    "true or false",
    "no %(part)s in %(name)s",
)

BUNDLES = (
    "1 to 50 small letters, digits, hyphens or underscores, as in an address",
    "a list of 1 to 50 rounds",
    "a list of house attacks",
    "a list of house entries",
    "a list of limits",
    "a mapping from phases to their times",
    "a mapping from the name of a data set to where it comes from",
    "a mapping of attempts",
    "a mapping of file rules",
    "a mapping of parameters",
    "a mapping that describes a contest",
    "a mapping that describes a round",
    "a mapping with one of files, generate, online-retail",
    "a measure with at-most or at-least",
    "a method, its parameters and a seed",
    "a name and a sha256",
    "a number of bytes",
    "an integer from %(low)s to %(high)s, or null for no such limit",
    "a number",
    "a sha256 in 64 hexadecimal digits",
    "a share from 0 to 1",
    "a text in Markdown",
    "a text of 1 to %(n)s characters",
    "a text as key; put it in quotes",
    "a text",
    "a time with its zone, such as %(example)s",
    "charge or ignore",
    "customers and seed",
    "file and customers",
    "from and until",
    "full, bands or none",
    "the files T25, T50, T75 and T100 of what attackers know",
    "the files master and transactions, as the format has them",
    "the name of a contest format in quotes: %(names)s",
    "the name of a data set of this bundle",
    "the name of a file beside the bundle, without folders",
    "the name of a house anonymizer",
    "the name of a house attack",
    "the name of a measure",
    "the name of a ranking rule, in quotes, such as %(example)s",
    "the name of a time zone, such as %(example)s",
    "a title of visible letters of one script",
    "the number 1, the version of this format",
    "what a team's program may use",
    "a key '%(key)s'",
    "a name of 1 to %(n)s characters",
    "a data set that a round uses",
    "exactly one of %(names)s",
    "a slug that no other round has",
    "a name once",
    "either at-most or at-least",
    "other parameters: %(problem)s",
    "a time that exists",
    "a time after the start, %(start)s",
    "a start not before the end of %(phase)s, %(end)s",
    "a file %(name)s beside the bundle",
    "a file %(name)s in the zip",
    "the file %(name)s with sha256 %(sha256)s",
    "a sound zip (%(problem)s)",
    "text in UTF-8",
    "no aliases",
    "at most %(n)s characters",
    "at most %(n)s levels",
    "a finite number",
    "a key once; see line %(line)s",
    "%(name)s, or another one of %(names)s",
)

ACCEPTED = (
    "Keep the seeds that the bundle names. Anybody who has them can compute who is who in the house entries.",
)
"""What organisers accept before something is done; declared where it is done."""

PHRASES: tuple[str, ...] = (
    *ACCEPTED,
    *PLACES,
    *BUNDLES,
    *FILES,
    *CELLS,
    *COUNTS,
    *DATES,
    *LIMITS,
    *PROGRAMS,
    *RUNS,
    *JOBS,
    *PARAMETERS,
)
