import { alnumBits, dotBit, wideBits, wordBits } from "./char-class.ts";

/** One vendor's token: a prefix that ends in, or holds, a `_`, `-`, `.` or `/`, and the body that follows it. */
export interface VendorPrefix {
  readonly prefix: string;
  /** The length of the prefix's first word, e.g. 6 in `github_pat_`. */
  readonly anchor: number;
  /** `charClass` bits of the body. */
  readonly body: number;
  readonly minBody: number;
  /** True where the prefix is also an ordinary word part: it counts only at a word's start and before a random-looking body. */
  readonly ambiguous: boolean;
}

const names: readonly (readonly [bits: number, minBody: number, prefixes: string])[] = [
  [alnumBits, 10, "ghp_ gho_ ghu_ ghs_ ghr_ dop_v1_ doo_v1_ dor_v1_ sk_live_ sk_test_ rk_live_ rk_test_ tvly-"],
  [
    wordBits,
    10,
    "github_pat_ gsk_ bb_live_ bb_test_ dckr_pat_ dckr_oat_ apify_api_ pat-na1- pat-na2- pat-eu1- pat-ap1-",
  ],
  [wordBits, 10, "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs-"],
  [wideBits, 16, "glpat- gloas- gldt- glcbt- glptt- glft- glimt- glagent- glwt- glsoat- glffct- glrt- glrtr-"],
  [alnumBits, 16, "npm_ api_org_ retaindb_ syt_ mem0_ brv_ whsec_ shpat_ shpss_ shpca_ shppa_ lin_api_ rubygems_"],
  [alnumBits, 20, "bkua_ sbp_ ddp_ ddw_ xai- PMAK- ntn_"],
  [
    wordBits,
    20,
    "CCIPAT_ glsa_ nfp_ CFPAT- HRKU-AA fio-u- sq0atp- sq0csp- GOCSPX- nvapi- figd_ tskey- xkeysib- sntryu_",
  ],
  [wideBits, 20, "glc_ BBDC- sntrys_ AGE-SECRET-KEY-1 fm1_ fm2_ fm1r_ fo1_"],
  [wideBits, 10, "ya29."],
  [wordBits | dotBit, 20, "hvs. hvb. dp.ct. dp.pt. dp.sa. dp.st. dp.scim. dp.audit."],
];

const ambiguousNames: readonly (readonly [bits: number, minBody: number, prefixes: string])[] = [
  [wordBits, 8, "sk-"],
  [wordBits, 10, "xapp-"],
  [wordBits, 10, "pypi- pplx- fal_ am_ sk_"],
  [alnumBits, 10, "hf_ r8_ exa_ fc- hsk-"],
  [alnumBits, 20, "fw- fw_ fpk_ key-"],
];

/** Every vendor prefix, grouped by the last two letters of its first word; `anchorKey` gives the group's key. */
export const vendorPrefixes: ReadonlyMap<number, readonly VendorPrefix[]> = groupByAnchor();

/** The key of the group of prefixes whose first word ends in these two units. */
export function anchorKey(beforeLast: number, last: number): number {
  return beforeLast * 128 + last;
}

function groupByAnchor(): Map<number, VendorPrefix[]> {
  const groups = new Map<number, VendorPrefix[]>();
  const add = (entries: typeof names, ambiguous: boolean) => {
    for (const [body, minBody, prefixes] of entries) {
      for (const prefix of prefixes.split(" ")) {
        const anchor = prefix.slice(1).search(/[^A-Za-z0-9]/) + 1;
        const key = anchorKey(prefix.charCodeAt(anchor - 2), prefix.charCodeAt(anchor - 1));
        const group = groups.get(key) ?? [];
        group.push({ prefix, anchor, body, minBody, ambiguous });
        groups.set(key, group);
      }
    }
  };
  add(names, false);
  add(ambiguousNames, true);
  return groups;
}
