import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/**
 * Enables Node's compile cache for this process and those that it starts: in NODE_COMPILE_CACHE, or in a folder that
 * `pnpm build:studio` fills. Without it, a start compiles 1,500 modules.
 */
export function useCompileCache() {
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/node');
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
}
