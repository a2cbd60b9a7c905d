/** A text as HTML that shows what was written, mark by mark. */
export const asWritten = (content: string): string =>
  `<pre>${content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</pre>`;
