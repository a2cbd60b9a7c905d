import { parseArgs } from 'node:util';

export interface ListenOptions {
  /** URL that receives the events. */
  forward: URL;
  /** Origin of the site. */
  url: URL;
  key: string;
  /** Event names and wildcards; all events if undefined. */
  events: string[] | undefined;
  /** Signing secret; a new one if undefined. */
  secret: string | undefined;
  /** ID of the event after which to begin; only new events if undefined. */
  after: string | undefined;
}

/** A mistake in the command's arguments, for a message without a stack trace. */
export class UsageError extends Error {}

export const help = `Forwards the events of a site to a program on this machine, in the form of webhooks.

  creator-content-client listen --forward http://localhost:8080/hook

Each event is sent as a POST request with the body and headers of a delivery, signed with a secret that is printed. The
responses of your program are printed too. Unlike real deliveries, failed requests are not retried.

  --forward URL    URL that receives the events
  --events NAMES   event names and wildcards, separated by commas; default: all
  --url URL        URL of the service; default: http://localhost:3000
  --key KEY        API key with the scope read; default: API_KEY from the environment
  --secret SECRET  signing secret; default: WEBHOOK_SECRET from the environment, or a new one
  --after ID       ID of an event of the last seven days, to begin after it; default: only new events

Examples

  API_KEY=svc_live_… creator-content-client listen --forward http://localhost:8080/hook
  creator-content-client listen --forward http://localhost:8080/hook --events 'content.*,newsletter.subscribe'
  creator-content-client listen --forward http://localhost:8080/hook --url https://ada.example.com --key svc_live_…
`;

const settings = {
  forward: { type: 'string' },
  events: { type: 'string', multiple: true },
  url: { type: 'string' },
  key: { type: 'string' },
  secret: { type: 'string' },
  after: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Parses the arguments; returns null if help was requested. Throws a `UsageError`. */
export function readOptions(args: string[], environment: NodeJS.ProcessEnv): ListenOptions | null {
  const { values, positionals } = parse(args);
  if (values.help || args.length === 0) return null;
  const [command, ...more] = positionals;
  if (command !== 'listen' || more.length > 0)
    throw new UsageError(`There is no command "${positionals.join(' ')}". The only command is: listen`);
  const key = values.key ?? environment.API_KEY;
  if (!key)
    throw new UsageError(
      'An API key is needed. Create one with scope read in the studio or with the operator command "keys create --name Listener --scopes read", and pass it as --key or in the environment as API_KEY.',
    );
  const events = values.events?.flatMap((names) => names.split(',')).filter((name) => name !== '');
  return {
    forward: webAddress('--forward', values.forward),
    url: webAddress('--url', values.url ?? 'http://localhost:3000'),
    key,
    events: events?.length ? events : undefined,
    secret: secretOf(values.secret ?? environment.WEBHOOK_SECRET),
    after: values.after,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: settings, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function webAddress(option: string, text: string | undefined): URL {
  if (text === undefined)
    throw new UsageError(
      `${option} is missing: name the URL that receives the events, such as ${option} http://localhost:8080/hook`,
    );
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError(
      `${option} is not an http or https URL: ${text}. Example: http://localhost:8080/hook`,
    );
  return url;
}

function secretOf(text: string | undefined): string | undefined {
  if (text === '') throw new UsageError('--secret is empty. Leave it out for a new one.');
  return text;
}
