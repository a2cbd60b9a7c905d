import { expect, test } from 'vitest';
import { z } from 'zod';
import { isDangerous } from '../../shared/contract/features/assistants.ts';
import { mcpScopeNames } from '../../shared/contract/scopes.ts';
import { startSignIn, Tokens } from '../support/sign-in.ts';
import recorded from './sign-ins.json' with { type: 'json' };

/**
 * Sign-in requests of third-party clients, from their documentation, source code or reports of others. None was
 * recorded here. Names that no source contains are those that the client uses elsewhere.
 */
const SignIns = z.array(
  z.strictObject({
    from: z.string(),
    sources: z.array(z.url()).min(1),
    registration: z.looseObject({ client_name: z.string(), redirect_uris: z.array(z.string()) }),
    /** `{origin}` stands for the address of the service, `{all}` for every offered scope. */
    asks: z.strictObject({
      redirect_uri: z.string(),
      scope: z.string().optional(),
      resource: z.string().optional(),
    }),
    answer_goes_to: z.string(),
  }),
);

test.for(SignIns.parse(recorded))(
  'an assistant of another vendor signs in, and the consent page preselects no dangerous scope: $from',
  async ({ registration, asks, answer_goes_to }) => {
    await using app = await startSignIn();
    const owner = await app.person();
    const { status, id: client_id } = await app.register(registration);
    expect(status).toBe(201);
    const { redirect_uri, scope, resource } = asks;
    const { verifier, id } = await app.ask(client_id, {
      redirect_uri,
      scope: scope?.replace('{all}', mcpScopeNames.join(' ')),
      resource: resource?.replace('{origin}', app.baseUrl),
    });
    const requested = await owner.request.query({ id });
    expect(requested).toMatchObject({
      client: { name: registration.client_name, verified: false },
      redirect_host: answer_goes_to,
      loopback: !redirect_uri.startsWith('https:'),
    });
    const ticked = requested.scopes.flatMap((one) => (one.ticked ? [one.scope] : []));
    expect(ticked).toContain('mcp:read');
    expect(ticked.filter(isDangerous)).toEqual([]);

    const { redirect_to } = await owner.approve.mutate({ id, scopes: ticked });
    expect(redirect_to.startsWith(`${redirect_uri}?`)).toBe(true);
    const code = /[?&]code=([^&]+)/.exec(redirect_to)?.[1];
    const given = await app.token({
      ...{ grant_type: 'authorization_code', client_id, code, code_verifier: verifier },
      ...{ redirect_uri, resource: resource?.replace('{origin}', app.baseUrl) },
    });
    expect(Tokens.parse(given.body).scope.split(' ').toSorted()).toEqual(ticked.toSorted());
  },
);
