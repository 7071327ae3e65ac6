"""Who is where: results become places, places become boards, matrices, histories and files of them."""
