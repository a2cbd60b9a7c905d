import { listInput } from '../../../shared/contract/list-input.ts';
import { Member, memberFilters } from '../../../shared/contract/member.ts';
import { namesOf } from '../../../shared/contract/names-of.ts';
import { pageQuery, partQuery } from '../../../shared/contract/pagination.ts';

/** What a list of members can be asked for. */
export const membersInput = listInput(pageQuery, memberFilters, namesOf(Member));

/** The same for owners, who look for people. */
export const ownMembersInput = listInput({ ...pageQuery, q: partQuery }, memberFilters, namesOf(Member));
