import type { SignInPlace } from '../../../shared/contract/features/oauth.ts';
import { mcpScopeNames } from '../../../shared/contract/scopes.ts';

/** RFC 9728: what assistants call, and who gives them tokens for it. */
export const protectedResource = ({ issuer, resource }: SignInPlace) => ({
  resource,
  authorization_servers: [issuer],
  scopes_supported: mcpScopeNames,
  bearer_methods_supported: ['header'],
  resource_name: 'Creator Content Service',
});

/** RFC 8414: how a token is had. */
export const authorizationServer = ({ issuer }: SignInPlace) => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  registration_endpoint: `${issuer}/oauth/register`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  scopes_supported: mcpScopeNames,
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
});
