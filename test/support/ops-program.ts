/** `pnpm ops` over the places that a test chose. */
import { bundled } from '../../shared/process/bundled.ts';

const { DATA_DIR = '', DNS_SERVER } = process.env;

const { createProgram } = await bundled('server/cli/program.ts', () => import('../../server/cli/program.ts'));
await createProgram(DATA_DIR, DNS_SERVER ? { servers: [DNS_SERVER], timeoutMs: 500 } : {})
  .parseAsync()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
