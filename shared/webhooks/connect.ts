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
  /** Bound on name lookup, TCP and TLS together. */
  timeoutMs: number;
  /** Connections without TLS are opened to any address that is permitted. */
  plainHttp?: boolean;
  /** Certificates trusted instead of the usual authorities; tests only. */
  ca?: string;
};

/**
 * How deliveries open a connection: resolve, check every address, connect to one of those very addresses, check the
 * peer, and verify its certificate for the host in the URL. undici's own connector never asks a lookup about a literal
 * address and resolves names a second time. Fails with a DeliveryFailure.
 */
export function createConnect(deps: ConnectDeps): buildConnector.connector {
  // One for all connections: what each would have of its own stays in memory until garbage is collected.
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
  // Deliveries go without TLS only where the operator has opened the network: a receiver's certificate is what names it.
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
    // Node gives an address up after this time when another is left; its default of 250 ms is less than a far round trip.
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
  // First in line, so that a wrong peer is dropped before TLS has written to it.
  socket.prependOnceListener('connect', () => {
    phase = 'tls_error';
    const permitted = isPermitted(socket.remoteAddress ?? '', deps.allowCidrs);
    if (!permitted) fail(new DeliveryFailure('forbidden_address'));
  });
  // Stays attached: an error between here and undici's own listener must not end the process.
  socket.on('error', (cause) => fail(new DeliveryFailure(phase, cause)));
  socket.once('close', () => fail(new DeliveryFailure(phase)));
  socket.once(isSecure ? 'secureConnect' : 'connect', () => ready(socket));
}

/** A lookup that gives the checked addresses, so that nothing is resolved a second time. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, _options, callback) => callback(null, answers);
}

function isSecure(options: buildConnector.Options): boolean {
  return options.protocol === 'https:';
}
