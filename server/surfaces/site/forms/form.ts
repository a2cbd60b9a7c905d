import type { TierName } from '../../../../shared/contract/limits.ts';
import type { Deps } from '../../../kernel/deps.ts';
import type { Http } from '../../http/answer.ts';
import type { Page, Visit } from '../page.ts';
import type { CallByName } from '../procedures.ts';
import type { PageContent } from '../views/layout.ts';
import type { LayoutData } from '../views/layout-data.ts';
import type { FormProblems } from './problems.ts';

type Values = Readonly<Record<string, string>>;

interface Submission extends Http {
  deps: Deps;
  call: CallByName;
  values: Values;
}

/** Where a form leads: to another page, or to a form with what was typed. */
type Outcome =
  | { to: string }
  | {
      show(visit: Visit, frame: LayoutData): Promise<PageContent>;
      problems?: FormProblems;
    };

export interface Form {
  path: string;
  /** The page that the form is on. */
  page: Page;
  tier: TierName;
  submit(submission: Submission): Promise<Outcome>;
}

/** Only machines fill in the field that people don't see; they are told that all went well. */
export const isBot = ({ homepage }: Values) => Boolean(homepage);
