/** The nonce of the page's Content-Security-Policy, which every style made at run time has to carry. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
