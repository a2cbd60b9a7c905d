/** `pnpm ops` over the places that a test chose. */
import { createProgram } from '../../server/cli/program.ts';

const { DATA_DIR = '', DNS_SERVER } = process.env;

await createProgram(DATA_DIR, DNS_SERVER ? { servers: [DNS_SERVER], timeoutMs: 500 } : {})
  .parseAsync()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
