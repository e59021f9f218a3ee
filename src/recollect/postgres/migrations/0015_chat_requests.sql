-- What people ask of the memory in a chat by pointing at something: at a number of a list, or at what was just done. And the
-- chats of which nothing is to be kept. Neither has a word of anybody.

-- `anchor` is the key by which the message is known again in the chat's later requests; `items` are the memories that were
-- listed with its answer, in the order of their numbers, or that it took away.
CREATE TABLE chat_requests (
    user_id text NOT NULL,
    session_id text NOT NULL,
    anchor text NOT NULL,
    asking text NOT NULL,
    items uuid[] NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (user_id, session_id, anchor)
);

CREATE TABLE chats_left_out (
    user_id text NOT NULL,
    session_id text NOT NULL,
    since timestamptz NOT NULL,
    PRIMARY KEY (user_id, session_id)
);

COMMENT ON TABLE chats_left_out IS 'The user wants nothing of these chats to be logged or formed.';

ALTER TABLE chat_requests ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE chats_left_out ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY of_the_user ON chat_requests USING (user_id = current_setting('recollect.user_id', true));
CREATE POLICY of_the_user ON chats_left_out USING (user_id = current_setting('recollect.user_id', true));
