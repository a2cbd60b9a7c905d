import type { Logger } from '../../shared/process/logger.ts';
import { listSites } from '../features/sites/store.ts';
import type { Deps, StoreDeps } from '../kernel/deps.ts';
import type { ServerSettings } from '../settings.ts';

type Doubtful = Pick<ServerSettings, 'PUBLIC_URL' | 'TRUST_PROXY' | 'WEB_CONCURRENCY' | 'RATE_LIMIT_STORE'>;

/** Warns of settings that are each right and together hardly what is meant. */
export function warnOfDoubtful(settings: Doubtful, logger: Pick<Logger, 'warn'>) {
  const { PUBLIC_URL, TRUST_PROXY, WEB_CONCURRENCY, RATE_LIMIT_STORE } = settings;
  if (PUBLIC_URL.protocol === 'https:' && TRUST_PROXY.length === 0)
    logger.warn(
      'PUBLIC_URL is https and TRUST_PROXY is empty: every request is taken for a plain one and refused; name the network of the proxy that ends TLS, such as TRUST_PROXY=127.0.0.1/32',
    );
  if (WEB_CONCURRENCY > 1 && RATE_LIMIT_STORE === 'memory')
    logger.warn(
      `RATE_LIMIT_STORE is memory: each of the ${WEB_CONCURRENCY} processes counts by itself, so that clients get up to ${WEB_CONCURRENCY} times the limit; RATE_LIMIT_STORE=database counts exactly`,
    );
}

/** Warns of a site that has the service's own host for its domain, as PUBLIC_URL was another one when it got that. */
export async function warnOfOwnDomain(deps: StoreDeps & Pick<Deps, 'config'>, logger: Pick<Logger, 'warn'>) {
  const { hostname } = deps.config.publicUrl;
  const sites = await listSites(deps);
  const named = sites.find(({ custom_domain }) => custom_domain === hostname);
  if (named && sites.length > 1)
    logger.warn(
      `the domain of the site ${named.id} is ${hostname}, the host of PUBLIC_URL, which is of all sites, so that nobody finds it there: npx -y pnpm ops sites update ${named.id} --custom-domain DOMAIN (or --subdomain LABEL)`,
    );
}
