/** What a mail's style sheet for dark screens begins with, by which the studio shows either. */
export const darkMedia = '@media (prefers-color-scheme:dark)';
