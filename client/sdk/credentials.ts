import type { ClientOptions } from './client-options.ts';

type Credentials = Pick<
  ClientOptions,
  'apiKey' | 'ownerToken' | 'memberToken' | 'previewToken' | 'dangerouslyAllowBrowser'
>;

/** The headers of every request; throws a TypeError for credentials that can't be used so. */
export function headersFor(credentials: Credentials): Record<string, string> {
  const { apiKey, ownerToken, memberToken, previewToken, dangerouslyAllowBrowser } = credentials;
  if (apiKey && ownerToken) throw new TypeError('createClient takes an apiKey or an ownerToken, not both');
  if (apiKey && isBrowser() && !dangerouslyAllowBrowser) {
    throw new TypeError(
      'an API key in a browser can be read by everyone who opens the page. Call the service from a server, or, if everyone ' +
        'who can open the page may know the key, set dangerouslyAllowBrowser: true',
    );
  }
  const bearer = apiKey || ownerToken;
  const headers = {
    ...(bearer && { Authorization: `Bearer ${bearer}` }),
    ...(memberToken && { 'X-Member-Token': memberToken }),
    ...(previewToken && { 'X-Preview-Token': previewToken }),
  };
  // Refuses what no header can hold here, where it is given, rather than at every call.
  new Headers(headers);
  return headers;
}

/** A page, or a worker of one. Servers and edge runtimes have neither. */
const isBrowser = () => 'document' in globalThis || 'importScripts' in globalThis;
