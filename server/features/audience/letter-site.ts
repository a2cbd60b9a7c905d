import { Site } from '../../../shared/db/entities/site.ts';
import { findMailKey } from '../../../shared/newsletter/mail-key.ts';
import { ApiError } from '../../kernel/api-error.ts';
import type { Deps } from '../../kernel/deps.ts';

interface Said {
  siteId: string;
  isSignedWith(key: string): boolean;
}

/** The site that a token names, which has signed it. Throws `not_found` for one that it has not given out. */
export async function findLetterSite<Token extends Said>(
  deps: Pick<Deps, 'database' | 'secrets'>,
  said: Token | null,
) {
  const key = said && (await findMailKey(deps, said.siteId));
  if (!said || !key || !said.isSignedWith(key)) throw new ApiError('not_found');
  const site = await deps.database.em
    .fork()
    .findOne(Site, said.siteId, { fields: ['id', 'name', 'language'] });
  if (!site) throw new ApiError('not_found');
  const { id, name, language } = site;
  return { said, key, site: { id, name, language } };
}
