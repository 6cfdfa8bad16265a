#include "bus.h"

#include <libsecret/secret.h>
#include <string.h>

static const SecretSchema schema = {
    "org.swift-credential-storage.Entry", SECRET_SCHEMA_NONE,
    {{"service", SECRET_SCHEMA_ATTRIBUTE_STRING}, {"account", SECRET_SCHEMA_ATTRIBUTE_STRING}, {NULL, 0}},
    0, 0, 0, 0, 0, 0, 0, 0,
};

int libsecret_store(const char *name, const char *value) {
    return secret_password_store_sync(&schema, SECRET_COLLECTION_DEFAULT, name, value, NULL, NULL,
                                      "service", "service", "account", name, NULL)
               ? 0 : -1;
}

long libsecret_lookup(const char *name) {
    gchar *value = secret_password_lookup_sync(&schema, NULL, NULL, "service", "service", "account", name, NULL);
    if (!value) return -1;
    long length = (long)strlen(value);
    secret_password_free(value);
    return length;
}

int libsecret_clear(const char *name) {
    return secret_password_clear_sync(&schema, NULL, NULL, "service", "service", "account", name, NULL) ? 0 : -1;
}

long libsecret_search_all(void) {
    GHashTable *attributes = secret_attributes_build(&schema, "service", "service", NULL);
    GList *found = secret_password_searchv_sync(
        &schema, attributes, SECRET_SEARCH_ALL | SECRET_SEARCH_UNLOCK | SECRET_SEARCH_LOAD_SECRETS, NULL, NULL);
    long count = 0;
    for (GList *each = found; each; each = each->next) {
        SecretValue *value = secret_retrievable_retrieve_secret_sync(SECRET_RETRIEVABLE(each->data), NULL, NULL);
        if (!value) continue;
        count++;
        secret_value_unref(value);
    }
    g_list_free_full(found, g_object_unref);
    g_hash_table_unref(attributes);
    return count;
}
