/** `pnpm ops` over the places that a test chose. */
import { bundled } from '../../shared/process/bundled.ts';

const { DATA_DIR = '', DNS_SERVER } = process.env;

const { runProgram } = await bundled('server/cli/program.ts', () => import('../../server/cli/program.ts'));
await runProgram(DATA_DIR, DNS_SERVER ? { servers: [DNS_SERVER], timeoutMs: 500 } : {});
