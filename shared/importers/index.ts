// The server imports this module at its start, so it loads no parser: `openSource` loads the one of the file.
export { questionIdOf } from './consent.ts';
export { cellsOf } from './csv-rows.ts';
export type { FileTree } from './file-tree.ts';
export type { ForeignRecord, ForeignSite } from './foreign-record.ts';
export { around, commonFolder, type NamedFiles, topOf } from './named-files.ts';
export { explain, joinNotes } from './notes.ts';
export type { Reference } from './references.ts';
export {
  chunksOf,
  type FileReference,
  referenceTo,
  rethrown,
  SourceError,
  type SourceFile,
} from './source-file.ts';
export { kindOf, openSource, type SourceKind, treeIn } from './source-kind.ts';
