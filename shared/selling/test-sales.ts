/** True for a host name or address of this machine. */
export const isLoopbackHost = (host: string) =>
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host);

/**
 * True if sales of test accounts and of the demo provider open content for everyone: outside production, and only where the service
 * has no public address. Elsewhere, sales of test accounts open content only to people who work on the site.
 */
export const countsTestSales = (settings: { NODE_ENV: string; PUBLIC_URL: URL }): boolean =>
  settings.NODE_ENV !== 'production' && isLoopbackHost(settings.PUBLIC_URL.hostname);
