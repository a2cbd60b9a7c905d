import { expect, test } from 'vitest';
import { startSignIn } from '../support/sign-in.ts';
import { startSigningIn } from '../support/signing-in.ts';

// docs/reference/assistant-sign-in.md

test("the official MCP client signs in with only the address of /mcp and a person's consent, and calls a tool", async () => {
  await using app = await startSignIn();
  const owner = await app.person();
  await using program = await startSigningIn(new URL('/mcp', app.baseUrl));
  const requested = await app.authorize(Object.fromEntries(new URL(await program.begin()).searchParams));
  const id = requested.location?.pathname.split('/').at(-1) ?? '';
  await program.finish(await app.allow(owner, id, ['mcp:read']));
  expect(await program.callTool('list_posts')).toMatchObject({ data: [] });

  // After an hour the client refreshes its token without help.
  const first = program.tokens()?.access_token;
  app.clock.advance({ hours: 2 });
  expect(await program.callTool('list_posts')).toMatchObject({ data: [] });
  expect(program.tokens()?.access_token).not.toBe(first);
});
