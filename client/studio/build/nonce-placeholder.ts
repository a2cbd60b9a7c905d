/** Stands in the built page for the nonce of each answer; the server puts one in its place. */
export const noncePlaceholder = '__CSP_NONCE__';
