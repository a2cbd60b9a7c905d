/** Where a site is at home: its own domain, else its name below the service's; null when it has neither. */
export function ownOriginOf(
  { custom_domain, subdomain }: Record<'custom_domain' | 'subdomain', string | null>,
  { publicUrl }: { publicUrl: URL },
): string | null {
  if (custom_domain) return `${publicUrl.protocol}//${custom_domain}`;
  return subdomain ? `${publicUrl.protocol}//${subdomain}.${publicUrl.host}` : null;
}

/** Whether a domain is the service's own host, or below it, which no owner can choose. */
export const isServiceDomain = (domain: unknown, publicHost: string) =>
  typeof domain === 'string' && `.${domain}`.endsWith(`.${publicHost}`);
