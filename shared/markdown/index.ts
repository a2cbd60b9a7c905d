// Importing this module loads the parser, the highlighter and the sanitizer. Only threads and the layout process may do so.
export { withAbsoluteMarkdown } from './absolute-markdown.ts';
export { withAnchors } from './anchors.ts';
export { excerpt, firstParagraphs } from './excerpt.ts';
export { type RenderedMarkdown, renderBody, safeHtml } from './render.ts';
