-- Payments of unknown outcome whose authorization ended an hour ago are due for looks at the chain again: an earlier version gave them up.
-- Without a reader the first try puts them off for good.

UPDATE payment SET next_try = 0 WHERE state = 'pending' AND next_try = 9223372036854775807;
