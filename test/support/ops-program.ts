/** Runs `pnpm ops` with folders that a test chose. */
import { bundled } from '../../shared/runtime/load-bundle.ts';

const { DATA_DIR = '', DNS_SERVER, DNS_TIMEOUT_MS } = process.env;

/** Time limit for a test that waits until it passes. */
const timeout = DNS_TIMEOUT_MS ? { timeoutMs: Number(DNS_TIMEOUT_MS) } : {};

const { runProgram } = await bundled('server/cli/index.ts', () => import('../../server/cli/index.ts'));
await runProgram(DATA_DIR, DNS_SERVER ? { servers: [DNS_SERVER], ...timeout } : {});
