import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';

type Module = Pick<NodeJS.Module, 'exports'>;

const modules = new Map<string, Module>();

/** The files that were run. */
export const scripts = new Map<string, Script>();

/** Beside a file: a sum, and what V8 made of it. */
export const codeOf = (file: string) => `${file}.code`;

/** Of both, for V8 itself takes what it made of another source of this length. */
export const sumOf = (source: Buffer, code: Buffer) => crc32(code, crc32(source));

const requirePackage = createRequire(import.meta.filename);

/**
 * What Node does with a file of CommonJS, but with what `server/start/compile.ts` had V8 make of it. Node keeps compiled code, too,
 * but that of the functions which a start calls is not in it yet.
 *
 * @param file an expression: the function around the code
 */
export function runCompiled(file: string): Module {
  const known = modules.get(file);
  if (known) return known;
  const source = readFileSync(file);
  const script = new Script(source.toString(), {
    filename: file,
    cachedData: readCode(codeOf(file), source),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module: Module = { exports: {} };
  modules.set(file, module);
  scripts.set(file, script);
  const require = (name: string): unknown => {
    if (/^\..*\.cjs$/.test(name)) return runCompiled(join(dirname(file), name)).exports;
    return requirePackage(name.startsWith('file:') ? fileURLToPath(name) : name);
  };
  try {
    script.runInThisContext()(module.exports, Object.assign(require, requirePackage), module);
  } catch (error) {
    // Whoever asks for it again would get half of it.
    modules.delete(file);
    throw error;
  }
  return module;
}

/** Undefined where there is none, or a damaged one; V8 itself refuses what another version of it made. */
function readCode(file: string, source: Buffer): Buffer | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  const code = bytes.subarray(4);
  return code.length > 0 && sumOf(source, code) === bytes.readUInt32LE() ? code : undefined;
}
