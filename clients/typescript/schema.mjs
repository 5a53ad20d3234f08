// Generates src/schema.ts from the document of the API in a copy of the repository, where it is missing or older.
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const schema = new URL("src/schema.ts", import.meta.url);
// A test of the server keeps it in step.
const snapshot = new URL("../../tests/api/snapshots/api__contract__openapi.snap", import.meta.url);
const changed = (file) => (existsSync(file) ? statSync(file).mtimeMs : 0);

if (changed(schema) === 0 || changed(snapshot) > changed(schema)) {
  if (!existsSync(snapshot)) {
    throw new Error("src/schema.ts is missing: npm run generate -- ADDRESS/openapi.json -o src/schema.ts");
  }
  // The snapshot begins with a head between two lines of hyphens.
  const document = readFileSync(snapshot, "utf8").split("---\n").slice(2).join("---\n");
  writeFileSync(schema, astToString(await openapiTS(document)));
}
