import { type Dispatcher, request } from 'undici';
import { firefox } from './rpc.ts';

export interface PageAnswer {
  status: number;
  text: string;
  headers: Record<string, string | string[] | undefined>;
}

interface Visit {
  method?: 'GET' | 'HEAD' | 'POST';
  headers?: Record<string, string>;
  /** Fields that are sent as a form. */
  form?: Record<string, string>;
}

/** Creates a browser of a visitor, without scripts and with cookies. */
export function createVisitor(baseUrl: string, host?: string) {
  const cookies = new Map<string, string>();
  return async (path: string, { method, headers = {}, form }: Visit = {}): Promise<PageAnswer> => {
    const response = await request(baseUrl + path, {
      method: (method ?? (form ? 'POST' : 'GET')) as Dispatcher.HttpMethod,
      headers: {
        accept: 'text/html,application/xhtml+xml',
        'user-agent': firefox,
        ...(host && { host }),
        ...(cookies.size > 0 && { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }),
        ...(form && {
          'content-type': 'application/x-www-form-urlencoded',
          origin: host ? `http://${host}` : baseUrl,
        }),
        ...headers,
      },
      body: form ? new URLSearchParams(form).toString() : null,
    });
    for (const cookie of [response.headers['set-cookie'] ?? []].flat()) keep(cookies, cookie);
    return { status: response.statusCode, text: await response.body.text(), headers: response.headers };
  };
}

function keep(cookies: Map<string, string>, cookie: string) {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
  if (value === '') cookies.delete(name);
  else cookies.set(name, value);
}
