import type { Resource } from '../../../../shared/contract/resource.ts';
import { resources } from '../../../../shared/contract/resources/index.ts';
import { utc } from '../../../../shared/contract/time-zone.ts';
import { shapeOf } from '../../data/shape.ts';
import { momentsIn } from '../../texts/moments.ts';
import { capitalised } from '../../texts/names.ts';
import { texts } from '../../texts/texts.ts';
import { listInput, pageInput, readListSearch } from './list-search.ts';

/** What the page has to know of a list to show it before its screen can. */
const firstList = (resource: Resource) => ({
  heading: capitalised(resource.collection),
  /** What stands below it until the code has come. */
  lead: texts.navigation.onItsWay,
  /** The field that names a record. */
  title: shapeOf(resource).title,
  /** What is asked for, as the screen does when it is opened. */
  input: pageInput(listInput(resource, readListSearch(resource, [], {}, momentsIn(utc))), 1),
});

type FirstList = ReturnType<typeof firstList>;

/** By collection. */
export const firstLists: Readonly<Record<string, FirstList>> = Object.fromEntries(
  Object.values<Resource>(resources).map((of) => [of.collection, firstList(of)]),
);
