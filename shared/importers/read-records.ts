// Functions for threads that read records. This module loads a Markdown parser.
export { minuteOf, scheduleNote } from './foreign-record.ts';
export { asHtmlInMarkdown, notesOfControls } from './html-body.ts';
export { withOldLists } from './list-redirects.ts';
export { rewriteReferences } from './references.ts';
