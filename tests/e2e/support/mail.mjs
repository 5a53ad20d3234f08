// A mail server on loopback that takes every mail and delivers none.

import { createServer } from "node:net";

// Lines that end with "=" go on in the next one, and "=3D" is a byte.
const plain = (text) =>
  text.replace(/=\r?\n/g, "").replace(/(=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll("=", ""), "hex").toString("utf8"));

export const startMailServer = async () => {
  const mails = [];
  const server = createServer((socket) => {
    let text = "";
    let inMail = false;
    socket.on("error", () => {});
    socket.write("220 mail.test ESMTP\r\n");
    socket.on("data", (chunk) => {
      text += chunk;
      for (;;) {
        const end = text.indexOf(inMail ? "\r\n.\r\n" : "\r\n");
        if (end < 0) return;
        const part = text.slice(0, end);
        text = text.slice(end + (inMail ? 5 : 2));
        if (inMail) {
          // A line that begins with a dot has two of them on the wire.
          mails.push(plain(part.replace(/^\.\./gm, ".")));
          inMail = false;
          socket.write("250 taken\r\n");
        } else if (/^data/i.test(part)) {
          inMail = true;
          socket.write("354 go on\r\n");
        } else if (/^quit/i.test(part)) {
          socket.end("221 bye\r\n");
        } else {
          socket.write("250 ok\r\n");
        }
      }
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  // The first mail that a test accepts.
  const mail = async (accepts, seconds = 60) => {
    const patience = Date.now() + seconds * 1000;
    for (;;) {
      const found = mails.find(accepts);
      if (found) return found;
      if (Date.now() > patience) throw new Error(`no such mail among ${mails.length}: ${mails.map((text) => text.match(/^Subject: .*/m)?.[0])}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  return { url: `smtp://127.0.0.1:${server.address().port}`, mail, mails, stop: () => new Promise((resolve) => server.close(resolve)) };
};
