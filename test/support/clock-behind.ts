/** Loaded into a process before it begins: sets its clock a hundred days back, as a machine has it that lost its battery. */
const behindMs = 100 * 86_400_000;
const RightDate = Date;

globalThis.Date = new Proxy(RightDate, {
  construct: (target, given, own) =>
    Reflect.construct(target, given.length === 0 ? [RightDate.now() - behindMs] : given, own),
  get: (target, name) =>
    name === 'now' ? () => RightDate.now() - behindMs : Reflect.get(target, name, target),
});
