// An authenticator app: codes of six digits from the key that the page shows (RFC 6238).

import { createHmac } from "node:crypto";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const SECONDS = 30;

export const authenticator = (key) => {
  const bits = [...key.replace(/\s/g, "")].map((letter) => LETTERS.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const secret = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
  let last = 0;
  // The code of now, or the next one where that was given already: the server accepts each once.
  return () => {
    last = Math.max(Math.floor(Date.now() / 1000 / SECONDS), last + 1);
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(last));
    const hash = createHmac("sha1", secret).update(counter).digest();
    const number = hash.readUInt32BE(hash.at(-1) & 15) & 0x7fffffff;
    return String(number % 1_000_000).padStart(6, "0");
  };
};
