/**
 * Labels that people and programs take for the service's own: whoever had one could ask for passwords in its name, or
 * answer for its mail. No site gets one; a site that has one keeps it.
 */
const reserved: ReadonlySet<string> = new Set(
  `
  www www1 www2 www3 web main root origin
  api apis app apps rpc trpc rest graphql mcp ws webhook webhooks hooks
  admin administrator administration console control cpanel dashboard manage manager ops operator panel studio
  login logout signin sign-in signup sign-up register auth oauth oauth2 sso saml openid id identity
  account accounts my password reset session sessions user users member members owner owners profile
  mail mail1 mail2 email webmail smtp smtps imap imaps pop pop3 mx mx1 mx2 mta-sts autoconfig autodiscover newsletter
  abuse hostmaster postmaster webmaster noreply no-reply mailer-daemon info contact
  ns ns1 ns2 ns3 ns4 dns dns1 dns2 ftp sftp ssh vpn proxy gateway wpad isatap localhost local internal intranet
  static assets cdn media img images files uploads download downloads
  status health healthz readyz metrics monitor monitoring grafana logs
  docs documentation developer developers dev help support feedback security trust legal privacy terms
  billing pay payment payments checkout invoice invoices shop store secure ssl
  test testing stage staging sandbox preview demo beta git ci
  `
    .trim()
    .split(/\s+/),
);

export const isReservedSubdomain = (subdomain: unknown) =>
  typeof subdomain === 'string' && reserved.has(subdomain);
