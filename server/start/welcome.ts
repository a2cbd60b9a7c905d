import { styleText } from 'node:util';
import type { FirstSite } from './first-site.ts';

interface Welcome extends FirstSite {
  /** The service's address, without a slash at the end. */
  address: string;
  demoKey: string | null;
}

/** What `pnpm start` says once everything runs. */
export function welcome({ address, ownerEmail, generatedPassword, demoKey }: Welcome): string {
  return `
${bold('The site is ready:')} ${address}

  Owner    ${ownerEmail}
           ${password(ownerEmail, generatedPassword)}
  Studio   ${address}/studio
  API key  ${demoKey ?? 'create one: npx -y pnpm ops keys create --name "My key" --scopes read,write'}

${bold('Try it:')}

${commands(address, demoKey ?? 'YOUR_API_KEY')}

Press Ctrl-C to stop.
`;
}

const password = (email: string, generated: string | null) =>
  generated
    ? `password ${generated}  (shown only once)`
    : `password unchanged; to reset it: npx -y pnpm ops people reset-password ${email}`;

const commands = (address: string, key: string) =>
  [
    `  curl -H 'Authorization: Bearer ${key}' '${address}/api/v1/posts?limit=3'`,
    `  curl -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"title":"Hello, world"}' ${address}/api/v1/posts`,
    `  ${opener} ${address}/docs`,
  ].join('\n\n');

const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';

const bold = (text: string) => styleText('bold', text, { stream: process.stdout });
