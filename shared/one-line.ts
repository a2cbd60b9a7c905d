/** Text as one line: each run of blanks and line breaks is one blank, and none stands around it. */
export const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
