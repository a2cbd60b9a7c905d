import { connect, createServer, type Socket } from 'node:net';
import { inTime } from './eventually.ts';
import { listen } from './tls-receiver.ts';

/** Bytes that a proxy holds back, in one direction of one connection. */
export interface HeldConnection {
  /** Sends them, and all that follow. */
  release(): void;
  /** Closes both sides of the connection. */
  cut(): void;
}

interface Watch {
  /** Texts that a client sends on one connection, one after the other. */
  steps: readonly RegExp[];
  side: 'request' | 'answer';
  found(held: HeldConnection): void;
}

/**
 * Starts a TCP proxy on a fixed port, for a server that may restart. It can stop the traffic at a chosen statement, so
 * that tests need no hooks in the tested code.
 */
export async function startProxy(target: { port: number }) {
  const watches = new Set<Watch>();
  const sockets = new Set<Socket>();
  const gates = new Set<Gate>();
  let refusing = false;
  let stalled = false;
  const server = createServer((client) => {
    if (refusing) return void client.destroy();
    const upstream = connect(target.port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true).on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    const own = link(client, upstream, watches);
    for (const gate of own) {
      gates.add(gate);
      if (stalled) gate.hold();
    }
    client.on('close', () => {
      for (const gate of own) gates.delete(gate);
    });
  });
  const port = await listen(server, '127.0.0.1');
  const watch = (side: Watch['side'], steps: readonly RegExp[]) => {
    const found = new Promise<HeldConnection>((resolve) => void watches.add({ steps, side, found: resolve }));
    const held = inTime(`waiting for ${steps.join(', then ')}`, found);
    // A test that failed in the meantime no longer awaits it.
    held.catch(() => {});
    return held;
  };
  return {
    port,
    /** Holds back the request that completes these steps on one connection. */
    holdRequest: (...steps: RegExp[]) => watch('request', steps),
    /** Passes that request, and holds back its answer. */
    holdAnswer: (...steps: RegExp[]) => watch('answer', steps),
    /** Closes all connections, and every new one until `accept`. */
    refuse() {
      refusing = true;
      for (const socket of sockets) socket.destroy();
    },
    accept() {
      refusing = false;
    },
    /** Holds back everything in both directions without closing connections. */
    stall() {
      stalled = true;
      for (const gate of gates) gate.hold();
    },
    /** Sends what `stall` held back, and all that follows. */
    flow() {
      stalled = false;
      for (const gate of gates) gate.release();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function link(client: Socket, upstream: Socket, watches: Set<Watch>): Gate[] {
  const requests = createGate(upstream);
  const answers = createGate(client);
  const cut = () => {
    client.destroy();
    upstream.destroy();
  };
  const follow = createFollower(watches, (watch) => {
    const gate = watch.side === 'request' ? requests : answers;
    gate.hold(() => watch.found({ release: gate.release, cut }));
  });
  client.on('data', (chunk) => {
    if (watches.size > 0) follow(chunk.toString('latin1'));
    requests.pass(chunk);
  });
  upstream.on('data', answers.pass);
  client.on('close', cut);
  upstream.on('close', cut);
  return [requests, answers];
}

/** Detects when the texts of a client complete the steps of a watch, in order. */
function createFollower(watches: Set<Watch>, complete: (watch: Watch) => void) {
  const rest = new Map<Watch, { steps: readonly RegExp[]; text: string }>();
  return (text: string) => {
    for (const watch of watches) {
      const state = rest.get(watch) ?? { steps: watch.steps, text: '' };
      state.text += text;
      for (let match = state.steps[0]?.exec(state.text); match; match = state.steps[0]?.exec(state.text)) {
        state.text = state.text.slice(match.index + match[0].length);
        state.steps = state.steps.slice(1);
      }
      rest.set(watch, { ...state, text: state.text.slice(-500) });
      if (state.steps.length > 0) continue;
      watches.delete(watch);
      complete(watch);
    }
  };
}

type Gate = ReturnType<typeof createGate>;

function createGate(to: Socket) {
  let held: Buffer[] | null = null;
  let onHeld = () => {};
  return {
    hold(found = () => {}) {
      held ??= [];
      onHeld = found;
    },
    pass(chunk: Buffer) {
      if (!held) return void to.write(chunk);
      held.push(chunk);
      onHeld();
      onHeld = () => {};
    },
    release() {
      for (const chunk of held ?? []) to.write(chunk);
      held = null;
    },
  };
}
