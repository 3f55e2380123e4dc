"""Texts as the source around would write them."""

from __future__ import annotations

import io
import tokenize


def quote(text: str) -> str:
    """A text in double quotes where that needs no escaping."""
    plain = text.isprintable() and '"' not in text and "\\" not in text
    return f'"{text}"' if plain else repr(text)


def quoted(code: str) -> str:
    """Code with its plain texts in double quotes, as `ast.unparse` does not write them."""
    if "'" not in code:
        return code
    lines = code.split("\n")
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return code
    for token in reversed(tokens):
        said = token.string
        if (
            (
                token.type == tokenize.STRING
                and said[0] == "'"
                and '"' not in said
                and "\\" not in said
            )
            and token.start[0] == token.end[0]
            and not said.startswith("'''")
        ):
            row, first, last = token.start[0] - 1, token.start[1], token.end[1]
            lines[row] = f'{lines[row][:first]}"{said[1:-1]}"{lines[row][last:]}'
    return "\n".join(lines)
