"""The behaviours of the scripted provider: names for sets of switches.

A switch that a behaviour does not name has the value of NORMAL. Methods are named `Service.OpenSession`,
`Item.GetSecret`, `Prompt.Prompt` and so on, and a request for a property by its name, `Item.Attributes`; `*` stands for
every method.
"""

PLAIN = "plain"
DH = "dh-ietf1024-sha256-aes128-cbc-pkcs7"

NORMAL = {
    # What is locked at the start, and what Unlock does: direct, prompt, refused (success without any effect), or
    # item-prompt (the collection is open, each item needs a prompt of its own).
    "locked": False,
    "locked_items": [],
    "unlock": "prompt",
    # What a prompt does: complete, dismiss, never, still-locked, or malformed with the kind of payload.
    "prompt": "complete",
    "payload": "",
    "prompt_delay": 0.0,
    "has_dismiss": True,
    # Which methods answer with a prompt that completes without a person.
    "prompts_for": [],
    # Seconds before the reply, methods without a reply, methods in the middle of which the provider goes away, to be
    # followed at once by another connection that was waiting for the name.
    "late": {},
    "silent": [],
    # How many calls of a method are answered before it is silent.
    "silent_after": {},
    "gone": [],
    "has_successor": False,
    # Error replies: method to [name, text]. Replies of a wrong shape: method to `empty`, `types`, `null`.
    "errors": {},
    "malformed": {},
    # Sessions.
    "algorithms": [PLAIN, DH],
    "leading_zeros": "",
    # The alias: normal, absent, unknown-method, unknown-object, vanishing. Whether it has an object of its own.
    "alias": "normal",
    "alias_object": True,
    "prefix": "/org/freedesktop/secrets",
    # Other names of the provider, by which clients know it.
    "names": [],
    "collection_name": "main",
    "collection_label": "Main",
    # Whether a collection without a label is there, and one that is named and not there.
    "odd_collections": False,
    # Items.
    "replace": "exact",
    # Where another client makes the same item at the same time: `first` or `last` in the order of paths.
    "rival": "",
    # Other attributes that another client gives an item when a property of a certain item is asked for: the path of this one to
    # the path of that one and what it has then, or null for its removal.
    "changes": {},
    "dangling": 0,
    "dead_fails_bulk": False,
    "locked_fails_bulk": True,
    "empty_when_locked": False,
    "added_attributes": {},
    "keeps_label": False,
    "content_type": None,
    "mangle": "",
    "reject": "",
    # Whether changes are acknowledged and not made.
    "loses_writes": False,
    # A locked collection whose search finds nothing.
    "hides_locked": False,
}

DENIED = "org.freedesktop.DBus.Error.AccessDenied"
UNKNOWN_METHOD = "org.freedesktop.DBus.Error.UnknownMethod"
UNKNOWN_OBJECT = "org.freedesktop.DBus.Error.UnknownObject"
IS_LOCKED = "org.freedesktop.Secret.Error.IsLocked"
NO_SESSION = "org.freedesktop.Secret.Error.NoSession"
NO_OBJECT = "org.freedesktop.Secret.Error.NoSuchObject"
FAILED = "org.freedesktop.DBus.Error.Failed"
NOT_SUPPORTED = "org.freedesktop.DBus.Error.NotSupported"
INVALID = "org.freedesktop.DBus.Error.InvalidArgs"

WRITES = ["Collection.CreateItem", "Item.SetSecret", "Item.Delete"]

KEEPASSXC = {
    "prompts_for": ["Collection.CreateItem", "Item.Delete", "Service.Lock"],
    "added_attributes": {"Notes": "", "Path": "/x", "Title": "t", "URL": "", "UserName": "", "Uuid": "0"},
    "replace": "subset",
    "hides_locked": True,
}

BEHAVIOURS = {
    "normal": {},
    "locked collection": {"locked": True},
    "locked collection that opens by itself": {"locked": True, "unlock": "direct"},
    "locked item": {"locked_items": ["*"], "unlock": "item-prompt"},
    "dismissed": {"locked": True, "prompt": "dismiss"},
    "dismissed writes": {"prompts_for": ["Collection.CreateItem", "Item.Delete"], "prompt": "dismiss"},
    "completed but locked": {"locked": True, "prompt": "still-locked"},
    "unlock without effect": {"locked": True, "unlock": "refused"},
    "malformed Completed": {"locked": True, "prompt": "malformed", "payload": "string"},
    "Completed without arguments": {"locked": True, "prompt": "malformed", "payload": "nothing"},
    "Completed with an invalid path": {"locked": True, "prompt": "malformed", "payload": "root"},
    "malformed dismissal": {"locked": True, "prompt": "malformed", "payload": "dismissed string"},
    "malformed Completed of a write": {
        "prompts_for": ["Collection.CreateItem", "Item.Delete"], "prompt": "malformed", "payload": "nothing"},
    "Completed of a new item without its path": {
        "prompts_for": ["Collection.CreateItem"], "prompt": "malformed", "payload": "string"},
    "Completed of a new item with an invalid path": {
        "prompts_for": ["Collection.CreateItem"], "prompt": "malformed", "payload": "root"},
    "prompt that never completes": {"locked": True, "prompt": "never"},
    "write prompt that never completes": {
        "prompts_for": ["Collection.CreateItem", "Item.Delete"], "prompt": "never"},
    "write prompt that cannot be taken back": {
        "prompts_for": ["Collection.CreateItem", "Item.Delete"], "prompt": "never", "has_dismiss": False},
    "no Dismiss": {"locked": True, "prompt": "never", "has_dismiss": False},
    "self-completing prompts": dict(KEEPASSXC, prompt_delay=0.005),
    "late": {"late": {"*": 0.1}},
    "silent": {"silent": ["*"]},
    "silent after the search": {"silent": ["Item.GetSecret", "Service.GetSecrets", "Collection.CreateItem",
                                           "Item.SetSecret", "Item.Delete"]},
    "search that never returns": {"silent": ["Service.SearchItems", "Collection.SearchItems"]},
    "gone in mid-call": {"gone": ["Service.SearchItems", "Collection.SearchItems"]},
    "gone in mid-read": {"gone": ["Item.GetSecret", "Service.GetSecrets"]},
    "gone in mid-write": {"gone": WRITES},
    "disk full": {"errors": {method: [FAILED, "Couldn't write to /secret/place"] for method in WRITES}},
    "takes no writes": {"errors": {method: [NOT_SUPPORTED, "read-only: /secret/place"] for method in WRITES}},
    "loses writes": {"loses_writes": True},
    "fails without a reason": {"errors": {"*": [FAILED, "Couldn't read /secret/place"]}},
    "calls what it should delete gone": {"errors": {"Item.Delete": [NO_OBJECT, "/secret/place"]}},
    "knows no Delete": {"errors": {"Item.Delete": [UNKNOWN_METHOD, "/secret/place"]}},
    "answers Delete with a prompt that is not there": {
        "prompts_for": ["Item.Delete"], "errors": {"Prompt.Prompt": [UNKNOWN_METHOD, "/secret/place"]}},
    "dangling path": {"dangling": 1},
    "dangling path that fails a bulk read": {"dangling": 1, "dead_fails_bulk": True},
    "locked item that fails a bulk read": {"locked_items": ["locked"], "unlock": "item-prompt"},
    "alias absent": {"alias": "absent"},
    "alias not exported, UnknownMethod": {"alias": "unknown-method"},
    "alias not exported, UnknownObject": {"alias": "unknown-object"},
    "alias vanishing": {"alias": "vanishing"},
    "no object at the alias path": {"alias_object": False},
    "foreign path prefix": {"prefix": "/com/example/keys_1"},
    "odd collections": {"odd_collections": True},
    "replace on subset": {"replace": "subset"},
    "plain only": {"algorithms": [PLAIN]},
    "DH only": {"algorithms": [DH]},
    "no session algorithm": {"algorithms": []},
    "DH, shared number with a leading zero byte": {"algorithms": [DH], "leading_zeros": "shared"},
    "DH, public number with a leading zero byte": {"algorithms": [DH], "leading_zeros": "public"},
    "DH, public number without its leading zero byte": {"algorithms": [DH], "leading_zeros": "stripped"},
    "mangles bytes": {"mangle": "invalid"},
    "mangles newlines": {"mangle": "newlines"},
    "rejects bytes": {"reject": "invalid"},
    "denies by policy": {"errors": {"*": [DENIED, "denied by AppArmor: path=/secret/place pid=4711"]}},
    "empty replies": {"malformed": {"*": "empty"}},
    "replies of wrong types": {"malformed": {"*": "types"}},
    "replies of wrong types to writes": {"malformed": {method: "types" for method in WRITES}},
    "empty replies to secrets": {"malformed": {"Item.GetSecret": "empty", "Service.GetSecrets": "empty",
                                               "Collection.CreateItem": "empty"}},
    "empty secrets of locked items": {"locked": True, "unlock": "never", "empty_when_locked": True},
    "hides what is locked": {"locked": True, "hides_locked": True},
    "unlocks without prompt, and finds nothing before": {
        "locked": True, "unlock": "direct", "hides_locked": True},
    "adds attributes": {"added_attributes": KEEPASSXC["added_attributes"]},
    "keeps no content type": {"content_type": "text/plain"},
    "keeps the old label": {"keeps_label": True},
}


def switches(name):
    unknown = set(BEHAVIOURS[name]) - set(NORMAL)
    if unknown:
        raise KeyError(f"{name}: {unknown}")
    return {**NORMAL, **BEHAVIOURS[name]}
