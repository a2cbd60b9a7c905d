/** Nonce of the page's content security policy, required on every style element created at run time. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
