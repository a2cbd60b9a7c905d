/**
 * Keeps what V8 makes of a bundle beside its files, so that no start has to compile it again: whatever runs as its modules are
 * loaded, and as a server begins, until no database answers. `bundle.ts` runs it with the bundle's folder and its entries.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, runCompiled, scripts, sumOf } from '../../shared/process/compiled.ts';
import type * as server from './server-alone.ts';

const [folder = '', ...entries] = process.argv.splice(2);
const begin = (entry: string) => runCompiled(join(folder, entry.replace(/ts$/, 'cjs'))).exports;
for (const entry of entries) begin(entry);

process.once('exit', () => {
  for (const [file, script] of scripts) {
    const code = script.createCachedData();
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(sumOf(readFileSync(file), code));
    writeFileSync(codeOf(file), Buffer.concat([sum, code]));
  }
  process.exitCode = 0;
});
const { runServer }: typeof server = begin('server/start/server-alone.ts');
await runServer();
