"""The pages under `/memory/ui`, where people see, correct and erase their memory; administrators may look, and people can see that.

A module of handlers makes each group of pages from `templates/`, in the words of `catalogues/`. Read ``page_request`` first: it knows who looks
at whose memory. The pages contain no SQL, and answer no chat.
"""
