import type { Logger } from '../../shared/runtime/logger.ts';
import type { ServerSettings } from './settings.ts';

type CheckedSettings = Pick<
  ServerSettings,
  'PUBLIC_URL' | 'TRUST_PROXY' | 'WEB_CONCURRENCY' | 'RATE_LIMIT_STORE' | 'DATABASE_READ_URLS'
>;

/** Warns about valid settings that have no effect, or probably not the intended one. */
export function warnOfIneffectiveSettings(settings: CheckedSettings, logger: Pick<Logger, 'warn'>) {
  const { PUBLIC_URL, TRUST_PROXY, WEB_CONCURRENCY, RATE_LIMIT_STORE } = settings;
  if (PUBLIC_URL.protocol === 'https:' && TRUST_PROXY.length === 0)
    logger.warn(
      'PUBLIC_URL is https but TRUST_PROXY is not set, so every request is refused as plain HTTP; set TRUST_PROXY to the network of the proxy that terminates TLS, such as TRUST_PROXY=127.0.0.1/32',
    );
  if (WEB_CONCURRENCY > 1 && RATE_LIMIT_STORE === 'memory')
    logger.warn(
      `RATE_LIMIT_STORE is memory: each of the ${WEB_CONCURRENCY} processes counts separately, so clients get up to ${WEB_CONCURRENCY} times the limit; set RATE_LIMIT_STORE=database for exact limits`,
    );
  if (settings.DATABASE_READ_URLS !== undefined)
    logger.warn(
      'DATABASE_READ_URLS is no longer used: all reads go to the primary at DATABASE_URL; remove the setting',
    );
}
