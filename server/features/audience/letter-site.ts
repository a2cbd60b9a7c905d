import { Site } from '../../../shared/db/entities/site.ts';
import { ApiError } from '../../kernel/api-error.ts';
import type { Deps } from '../../kernel/deps.ts';

/** The site that has signed a token, with what that says. Throws `not_found` for one that no site has given out. */
export async function findLetterSite<Token extends { siteId: string }>(
  { database }: Pick<Deps, 'database'>,
  said: Token | null,
) {
  if (!said) throw new ApiError('not_found');
  const site = await database.em.fork().findOne(Site, said.siteId, { fields: ['id', 'name', 'language'] });
  if (!site) throw new ApiError('not_found');
  const { id, name, language } = site;
  return { said, site: { id, name, language } };
}
