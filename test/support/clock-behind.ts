/**
 * Module that is loaded into a process before its start. It sets the process's clock a hundred days back, as on a
 * machine with an empty battery.
 */
const behindMs = 100 * 86_400_000;
const RightDate = Date;

globalThis.Date = new Proxy(RightDate, {
  construct: (target, given, own) =>
    Reflect.construct(target, given.length === 0 ? [RightDate.now() - behindMs] : given, own),
  get: (target, name) =>
    name === 'now' ? () => RightDate.now() - behindMs : Reflect.get(target, name, target),
});
