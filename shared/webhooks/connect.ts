import {
  isIP,
  type LookupFunction,
  type Socket,
  type TcpNetConnectOpts,
  connect as tcpConnect,
} from 'node:net';
import { createSecureContext, type SecureContext, connect as tlsConnect } from 'node:tls';
import type { buildConnector } from 'undici';
import { isWithin } from './addresses.ts';
import { DeliveryFailure } from './delivery-failure.ts';
import { isPermitted, resolveTarget, type TargetRule } from './target.ts';

export type ConnectDeps = TargetRule & {
  /** Timeout of DNS lookup, TCP and TLS together, in milliseconds. */
  timeoutMs: number;
  /** True to allow connections without TLS to any permitted address. */
  plainHttp?: boolean;
  /** Certificates to trust instead of the usual authorities; for tests only. */
  ca?: string;
};

/**
 * Creates undici's connector for deliveries. It resolves the host, checks every address, and connects to one of them. Then
 * it checks the peer's address, and verifies its certificate for the host in the URL. Fails with a `DeliveryFailure`.
 *
 * undici's own connector does not call a lookup for IP addresses, and resolves names a second time.
 */
export function createConnect(deps: ConnectDeps): buildConnector.connector {
  // Shared by all connections, because separate contexts stay in memory until garbage collection.
  const secureContext = createSecureContext(deps.ca ? { ca: deps.ca } : {});
  return (options, callback) => {
    let socket: Socket | undefined;
    let settled = false;
    const timer = setTimeout(() => fail(new DeliveryFailure('timeout')), deps.timeoutMs);
    const settle = () => {
      const first = !settled;
      settled = true;
      clearTimeout(timer);
      return first;
    };
    const fail = (failure: Error) => {
      if (!settle()) return;
      socket?.destroy();
      callback(failure, null);
    };
    const open = (addresses: readonly string[]) => {
      if (settled) return;
      socket = openSocket(options, addresses, secureContext);
      observe(socket, isSecure(options), deps, fail, (connected) => settle() && callback(null, connected));
    };
    permittedAddresses(options, deps).then(open).catch(fail);
  };
}

async function permittedAddresses(options: buildConnector.Options, deps: ConnectDeps) {
  const target = await resolveTarget(options.hostname, deps);
  if (!target.ok) throw new DeliveryFailure(target.error);
  // Only the certificate proves a receiver's identity. HTTP is allowed only in networks that the operator has allowed.
  const open =
    isSecure(options) ||
    deps.plainHttp ||
    target.addresses.every((address) => isWithin(address, deps.allowCidrs));
  if (!open) throw new DeliveryFailure('forbidden_address');
  return target.addresses;
}

function openSocket(
  options: buildConnector.Options,
  addresses: readonly string[],
  secureContext: SecureContext,
): Socket {
  const host = options.hostname.replace(/\.$/, '');
  const tcp: TcpNetConnectOpts = {
    host,
    port: Number(options.port || (isSecure(options) ? 443 : 80)),
    noDelay: true,
    keepAlive: true,
    lookup: answerWith(addresses),
    autoSelectFamily: true,
    // Time before Node tries the next address, in milliseconds. The default of 250 ms is shorter than a long round
    // trip.
    autoSelectFamilyAttemptTimeout: 1000,
  };
  if (!isSecure(options)) return tcpConnect(tcp);
  return tlsConnect({
    ...tcp,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
    ...(isIP(host) ? {} : { servername: host }),
    secureContext,
  });
}

function observe(
  socket: Socket,
  isSecure: boolean,
  deps: ConnectDeps,
  fail: (failure: DeliveryFailure) => void,
  ready: (socket: Socket) => void,
): void {
  let phase: 'connection_failed' | 'tls_error' = 'connection_failed';
  // This listener runs first, so that a forbidden peer is disconnected before TLS sends data to it.
  socket.prependOnceListener('connect', () => {
    phase = 'tls_error';
    const permitted = isPermitted(socket.remoteAddress ?? '', deps.allowCidrs);
    if (!permitted) fail(new DeliveryFailure('forbidden_address'));
  });
  // This listener stays attached. Otherwise an error before undici adds its own one would end the process.
  socket.on('error', (cause) => fail(new DeliveryFailure(phase, cause)));
  socket.once('close', () => fail(new DeliveryFailure(phase)));
  socket.once(isSecure ? 'secureConnect' : 'connect', () => ready(socket));
}

/** Returns a lookup with the checked addresses, so that the name is not resolved again. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, _options, callback) => callback(null, answers);
}

function isSecure(options: buildConnector.Options): boolean {
  return options.protocol === 'https:';
}
