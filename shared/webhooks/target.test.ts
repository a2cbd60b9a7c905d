import { expect, test } from 'vitest';
import { parseCidr } from './addresses.ts';
import { resolveTarget, type TargetRule, webhookTargetFault } from './target.ts';

function ruleWith(addresses: readonly string[] | Error, allowCidrs: readonly string[] = []): TargetRule {
  const lookup = async () => {
    if (addresses instanceof Error) throw addresses;
    return addresses;
  };
  return { lookup, allowCidrs: allowCidrs.map(parseCidr) };
}

test.for([
  'https://hooks.example.com/path?query=1#fragment',
  'https://hooks.example.com:8443/',
  'https://HOOKS.example.com',
  'https://bücher.example/größe',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]/',
  'https://hooks.example.com/user@example.com',
])('a public https URL is accepted: %s', async (url) => {
  expect(await webhookTargetFault(url, ruleWith(['93.184.215.14', '2606:4700::1']))).toBeNull();
});

test.for([
  ['http://hooks.example.com/', 'must start with https://'],
  ['HTTPS://hooks.example.com/', 'must start with https://'],
  ['https://hooks.example.com:0/', 'must be a valid URL'],
  ['https://hooks.example.com/\n', 'must not contain spaces, control characters or backslashes'],
  ['https://user@hooks.example.com/', 'must not contain a user name or password'],
  [`https://hooks.example.com/${'a'.repeat(2000)}`, 'must have at most 2000 characters'],
  [
    'https://10.0.0.1/',
    'must not resolve to a private, loopback, link-local or otherwise non-public address',
  ],
] as const)('the error message states the fault of %s', async ([url, fault]) => {
  expect(await webhookTargetFault(url, ruleWith(['93.184.215.14']))).toBe(fault);
});

test('a URL of exactly 2,000 characters is accepted', async () => {
  const url = 'https://hooks.example.com/'.padEnd(2000, 'a');
  expect(await webhookTargetFault(url, ruleWith(['93.184.215.14']))).toBeNull();
});

test.for([[], new Error('SERVFAIL')])(
  'a name that does not resolve is accepted at registration and fails at delivery: %s',
  async (answer) => {
    const rule = ruleWith(answer);
    expect(await webhookTargetFault('https://later.example/', rule)).toBeNull();
    expect(await resolveTarget('later.example', rule)).toEqual({ ok: false, error: 'dns_failure' });
  },
);

test('an allowed network permits https registration inside it, and never plain HTTP', async () => {
  const rule = ruleWith([], ['127.0.0.0/8', '::1/128']);
  expect(await webhookTargetFault('https://127.0.0.1/', rule)).toBeNull();
  expect(await webhookTargetFault('https://localhost/', rule)).toBeNull();
  expect(await webhookTargetFault('http://127.0.0.1/', rule)).toBe('must start with https://');
});

test('all addresses of a name are returned, and a literal address is not looked up', async () => {
  const rule = ruleWith(['93.184.215.14', '2606:4700::1']);
  expect(await resolveTarget('hooks.example.com', rule)).toEqual({
    ok: true,
    addresses: ['93.184.215.14', '2606:4700::1'],
  });
  expect(await resolveTarget('[2606:4700:4700::1111]', ruleWith(new Error('asked')))).toEqual({
    ok: true,
    addresses: ['2606:4700:4700::1111'],
  });
});
